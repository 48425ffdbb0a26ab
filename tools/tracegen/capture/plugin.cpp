// plugin.cpp - Oclgrind plugin of `tracegen capture`: sends what an OpenCL program does
// through a pipe (protocol.h). Built only where Oclgrind's and LLVM's headers are
// (detect.sh). Debian's Oclgrind and LLVM have no RTTI, so neither has this file.
#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <unistd.h>
#include <unordered_set>

#include "oclgrind/Context.h"
#include "oclgrind/Kernel.h"
#include "oclgrind/KernelInvocation.h"
#include "oclgrind/Memory.h"
#include "oclgrind/Plugin.h"
#include "oclgrind/WorkGroup.h"
#include "oclgrind/WorkItem.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include "protocol.h"

namespace
{
using oclgrind::Memory;
using oclgrind::Size3;
using oclgrind::WorkGroup;
using oclgrind::WorkItem;

// ---- the pipe ----------------------------------------------------------------------

// One per process: several contexts of a program share it. A forked child never writes.
class Pipe
{
public:
  static Pipe &get()
  {
    static Pipe pipe;
    return pipe;
  }
  bool open() const { return m_fd >= 0 && getpid() == m_owner; }
  bool values() const { return m_values; }
  bool wantsLaunch() { return open() && (m_launches == 0 || m_seen++ < m_launches); }

  void send(char letter, const std::string &body)
  {
    if (!open())
      return;
    m_out += letter;
    number(m_out, body.size());
    m_out += body;
    if (m_out.size() > (1u << 18))
      flush();
  }
  void flush()
  {
    size_t done = 0;
    while (m_fd >= 0 && done < m_out.size())
    {
      ssize_t n = write(m_fd, m_out.data() + done, m_out.size() - done);
      if (n > 0)
        done += size_t(n);
      else if (errno != EINTR)
        m_fd = -1; // tracegen is gone: let the program run on
    }
    m_out.clear();
  }
  static void number(std::string &s, uint64_t v)
  {
    for (; v >= 0x80; v >>= 7)
      s += char(v | 0x80);
    s += char(v);
  }
  static void signedNumber(std::string &s, int64_t v)
  {
    number(s, (uint64_t(v) << 1) ^ uint64_t(v >> 63));
  }

private:
  Pipe()
  {
    const char *fd = getenv(CAP_ENV_FD), *n = getenv(CAP_ENV_LAUNCHES), *v = getenv(CAP_ENV_VALUES);
    m_owner = getpid();
    m_fd = fd ? int(strtol(fd, nullptr, 10)) : -1;
    m_launches = n ? strtoull(n, nullptr, 10) : 0;
    m_values = v && *v == '1';
    unsetenv(CAP_ENV_FD); // programs that this one starts are not recorded
    std::string hello;
    number(hello, CAP_VERSION);
    send(CAP_HELLO, hello);
  }
  ~Pipe()
  {
    send(CAP_DONE, "");
    flush();
  }
  int m_fd;
  pid_t m_owner;
  bool m_values;
  uint64_t m_launches, m_seen = 0;
  std::string m_out;
};

// ---- the program as text (program.h) --------------------------------------------------

class Describer
{
public:
  struct Place
  {
    uint32_t segment, index;
  };
  using Places = std::unordered_map<const llvm::Instruction *, Place>;

  Describer(const llvm::Function *kernel, const std::string &name, Places &places)
      : m_layout(kernel->getParent()->getDataLayout()), m_places(places)
  {
    print("K %s\n", name.c_str());
    functionNumber(kernel);
    for (size_t i = 0; i < m_functions.size(); i++)
      function(*m_functions[i]);
  }
  const std::string &text() const { return m_text; }

private:
  void print(const char *format, ...) __attribute__((format(printf, 2, 3)))
  {
    char line[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    m_text += line;
  }
  size_t functionNumber(const llvm::Function *f)
  {
    size_t i = size_t(std::find(m_functions.begin(), m_functions.end(), f) - m_functions.begin());
    if (i == m_functions.size())
      m_functions.push_back(f);
    return i;
  }
  std::string type(llvm::Type *t) const
  {
    if (auto *v = llvm::dyn_cast<llvm::FixedVectorType>(t))
      return std::to_string(v->getNumElements()) + "x" + type(v->getElementType());
    if (t->isIntegerTy())
      return "i" + std::to_string(t->getIntegerBitWidth());
    if (t->isPointerTy())
      return "p" + std::to_string(t->getPointerAddressSpace());
    if (t->isHalfTy() || t->isFloatTy() || t->isDoubleTy())
      return "f" + std::to_string(t->getPrimitiveSizeInBits().getFixedSize());
    if (t->isVoidTy() || !t->isSized())
      return "v";
    return "s" + std::to_string(m_layout.getTypeStoreSize(t).getFixedSize());
  }
  // "12" a value, "#5" an integer constant, "#" any other constant.
  std::string operand(const llvm::Value *v)
  {
    if (auto *c = llvm::dyn_cast<llvm::ConstantInt>(v))
      return c->getBitWidth() <= 64 ? "#" + std::to_string(c->getSExtValue()) : "#";
    if (!llvm::isa<llvm::Instruction>(v) && !llvm::isa<llvm::Argument>(v))
      return "#";
    return std::to_string(m_values.emplace(v, m_values.size()).first->second);
  }
  void function(const llvm::Function &f)
  {
    m_values.clear();
    m_blocks.clear();
    print("F %zu\n", functionNumber(&f));
    for (auto &a : f.args())
      print("A %s %s\n", operand(&a).c_str(), type(a.getType()).c_str());
    llvm::ReversePostOrderTraversal<const llvm::Function *> order(&f);
    for (auto *b : order)
      m_blocks.emplace(b, m_blocks.size());
    for (auto *b : order)
      block(*b);
  }
  void beginSegment()
  {
    print("S\n");
    m_segments++;
    m_index = 0;
  }
  void block(const llvm::BasicBlock &b)
  {
    print("B");
    for (auto *s : llvm::successors(&b))
      print(" %zu", m_blocks.at(s));
    print("\n");
    beginSegment();
    for (auto &i : b)
    {
      if (m_cut)
        beginSegment();
      m_cut = false;
      m_places[&i] = {m_segments - 1, m_index++};
      instruction(i);
    }
    m_cut = false;
  }
  void line(const llvm::Instruction &i, const std::string &name)
  {
    std::string t = type(i.getType());
    m_text += "I " + (t == "v" ? "-" : operand(&i)) + " " + t + " " + name;
  }
  void operands(const llvm::Instruction &i, unsigned from = 0)
  {
    for (unsigned k = from; k < i.getNumOperands(); k++)
      if (!llvm::isa<llvm::BasicBlock>(i.getOperand(k)))
        m_text += " " + operand(i.getOperand(k));
  }
  void instruction(const llvm::Instruction &i)
  {
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&i))
    {
      line(i, "phi");
      for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
        m_text += " " + operand(phi->getIncomingValue(k)) + " @" +
                  std::to_string(m_blocks.at(phi->getIncomingBlock(k)));
    }
    else if (auto *c = llvm::dyn_cast<llvm::CmpInst>(&i))
    {
      line(i, std::string(i.getOpcodeName()) + "." + llvm::CmpInst::getPredicateName(c->getPredicate()).str());
      operands(i);
      m_text += " :" + type(c->getOperand(0)->getType());
    }
    else if (llvm::isa<llvm::CastInst>(i))
    {
      line(i, i.getOpcodeName());
      operands(i);
      m_text += " :" + type(i.getOperand(0)->getType());
    }
    else if (auto *g = llvm::dyn_cast<llvm::GetElementPtrInst>(&i))
      element(*g);
    else if (auto *call = llvm::dyn_cast<llvm::CallInst>(&i))
      this->call(*call);
    else
      other(i);
    m_text += "\n";
  }
  // Base, then each variable index with its scale in bytes.
  void element(const llvm::GetElementPtrInst &g)
  {
    line(g, "gep");
    m_text += " " + operand(g.getPointerOperand());
    for (auto k = llvm::gep_type_begin(g), end = llvm::gep_type_end(g); k != end; ++k)
      if (!k.isStruct() && !llvm::isa<llvm::Constant>(k.getOperand()))
        m_text += " " + operand(k.getOperand()) + " #" +
                  std::to_string(m_layout.getTypeAllocSize(k.getIndexedType()).getFixedSize());
  }
  void other(const llvm::Instruction &i)
  {
    line(i, i.getOpcodeName());
    operands(i);
    if (auto *l = llvm::dyn_cast<llvm::LoadInst>(&i))
      memory(l->getPointerAddressSpace(), l->getType(), l->getAlign().value());
    else if (auto *s = llvm::dyn_cast<llvm::StoreInst>(&i))
      memory(s->getPointerAddressSpace(), s->getValueOperand()->getType(), s->getAlign().value());
    else if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&i))
      for (int m : shuffle->getShuffleMask())
        m_text += " #" + std::to_string(m);
  }
  void memory(unsigned space, llvm::Type *t, uint64_t align)
  {
    print(" =%u,%" PRIu64 ",%" PRIu64, space, uint64_t(m_layout.getTypeStoreSize(t).getFixedSize()), align);
  }
  // The name of an OpenCL builtin without its mangled arguments; of an intrinsic, without its types.
  static std::string builtin(const llvm::Function &f)
  {
    std::string n = f.getName().str();
    if (n.compare(0, 2, "_Z") == 0)
    {
      char *end;
      size_t length = strtoul(n.c_str() + 2, &end, 10);
      return std::string(end).substr(0, length);
    }
    return n.compare(0, 5, "llvm.") == 0 ? n.substr(0, n.find('.', 5)) : n;
  }
  void call(const llvm::CallInst &c)
  {
    const llvm::Function *f = c.getCalledFunction();
    if (!f)
      if (auto *user = llvm::dyn_cast<llvm::User>(c.getCalledOperand()))
        f = user->getNumOperands() ? llvm::dyn_cast<llvm::Function>(user->getOperand(0)) : nullptr;
    bool known = f && !f->isDeclaration();
    std::string name = !f ? "unknown" : known ? std::to_string(functionNumber(f)) : builtin(*f);
    line(c, (known ? "call @" : "builtin ") + name);
    for (auto &a : c.args())
      m_text += " " + (a->getType()->isMetadataTy() ? std::string("#") : operand(a.get()));
    for (auto &a : c.args())
      if (a->getType()->isPointerTy())
      {
        auto *e = a->getType()->getPointerElementType();
        if (e->isSized())
          memory(a->getType()->getPointerAddressSpace(), e, 1);
        break;
      }
    m_cut = known || name == "barrier" || name == "work_group_barrier" || name.compare(0, 10, "wait_group") == 0;
  }

  const llvm::DataLayout &m_layout;
  Places &m_places;
  std::string m_text;
  std::vector<const llvm::Function *> m_functions;
  std::unordered_map<const llvm::Value *, size_t> m_values;
  std::unordered_map<const llvm::BasicBlock *, size_t> m_blocks;
  uint32_t m_segments = 0, m_index = 0;
  bool m_cut = false;
};

// ---- memory: where buffers lie on the device -------------------------------------------

// Buffers in 512-byte granules; a freed range serves the next one of its size, as an
// allocator of a real runtime would do.
class AddressMap
{
public:
  struct Buffer
  {
    uint64_t base = 0;
    size_t original = 0, bytes = 0;
  };
  void allocate(size_t number, size_t original, size_t bytes)
  {
    if (number >= m_buffer.size())
      m_buffer.resize(number + 1);
    size_t room = (bytes + 511) / 512 * 512;
    auto &freed = m_freed[room];
    uint64_t base = freed.empty() ? next() : freed.back();
    if (freed.empty())
      next() += room;
    else
      freed.pop_back();
    m_buffer[number].base = base;
    m_buffer[number].original = original;
    m_buffer[number].bytes = bytes;
  }
  void release(size_t number)
  {
    if (number >= m_buffer.size() || !m_buffer[number].base)
      return;
    m_freed[(m_buffer[number].bytes + 511) / 512 * 512].push_back(m_buffer[number].base);
    m_buffer[number].base = 0;
  }
  bool translate(size_t number, size_t offset, uint64_t &address) const
  {
    if (number >= m_buffer.size() || !m_buffer[number].base)
      return false;
    address = m_buffer[number].base + offset;
    return true;
  }
  const std::vector<Buffer> &buffers() const { return m_buffer; }

private:
  static uint64_t &next()
  {
    static uint64_t n = CAP_GLOBAL_BASE; // contexts do not overlap
    return n;
  }
  std::vector<Buffer> m_buffer;
  std::map<size_t, std::vector<uint64_t>> m_freed;
};

// Local and private memory: buffers one behind the other in the order of first use.
class FrameMap
{
public:
  uint64_t translate(const Memory *m, size_t address)
  {
    size_t number = m->extractBuffer(address);
    auto it = m_at.find(number);
    if (it == m_at.end())
    {
      const Memory::Buffer *b = m->getBuffer(address);
      it = m_at.emplace(number, m_next).first;
      m_next += b ? (b->size + 15) / 16 * 16 : 16;
    }
    return it->second + m->extractOffset(address);
  }

private:
  std::map<size_t, uint64_t> m_at;
  uint64_t m_next = 0;
};

// ---- the plugin --------------------------------------------------------------------------

class Capture : public oclgrind::Plugin
{
public:
  explicit Capture(const oclgrind::Context *context) : Plugin(context), m_pipe(Pipe::get()) {}
  bool isThreadSafe() const override { return false; }

  void memoryAllocated(const Memory *memory, size_t address, size_t size, cl_mem_flags,
                       const uint8_t *init) override
  {
    if (memory->getAddressSpace() != oclgrind::AddrSpaceGlobal)
      return;
    m_map.allocate(memory->extractBuffer(address), address, size);
    if (init)
      copied(memory, address, size);
  }
  void memoryDeallocated(const Memory *memory, size_t address) override
  {
    if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
      m_map.release(memory->extractBuffer(address));
  }
  void hostMemoryStore(const Memory *memory, size_t address, size_t size, const uint8_t *) override
  {
    if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
      copied(memory, address, size);
  }

  void kernelBegin(const oclgrind::KernelInvocation *run) override
  {
    m_active = m_pipe.wantsLaunch();
    if (!m_active)
      return;
    const oclgrind::Kernel *kernel = run->getKernel();
    m_places.clear();
    Describer text(kernel->getFunction(), kernel->getName(), m_places);
    m_pipe.send(CAP_PROGRAM, text.text());
    std::string body;
    triple(body, run->getNumGroups());
    triple(body, run->getLocalSize());
    Pipe::number(body, kernel->getLocalMemorySize());
    m_pipe.send(CAP_LAUNCH, body);
    m_lines.clear();
    m_shared = FrameMap();
    m_private = FrameMap();
  }
  void kernelEnd(const oclgrind::KernelInvocation *) override
  {
    if (!m_active)
      return;
    if (m_pipe.values())
      sendLines();
    m_pipe.send(CAP_LAUNCH_END, "");
    m_active = false;
  }

  void workGroupBegin(const WorkGroup *group) override
  {
    if (!m_active)
      return;
    std::string body;
    triple(body, group->getGroupID());
    m_pipe.send(CAP_GROUP, body);
    m_size = group->getGroupSize();
    m_item.resize(m_size.x * m_size.y * m_size.z);
    for (auto &i : m_item)
      i = Item();
    m_now = nullptr;
    m_pending.clear();
  }
  void workGroupBarrier(const WorkGroup *, uint32_t) override
  {
    if (!m_active)
      return;
    sendItems();
    m_pipe.send(CAP_MERGE, "");
  }
  void workGroupComplete(const WorkGroup *) override
  {
    if (!m_active)
      return;
    sendItems();
    m_pipe.send(CAP_GROUP_END, "");
  }

  void instructionExecuted(const WorkItem *item, const llvm::Instruction *instruction,
                           const oclgrind::TypedValue &) override
  {
    if (!m_active)
      return;
    auto at = m_places.find(instruction);
    if (at != m_places.end())
    {
      Item &i = of(item);
      if (at->second.index == 0)
        Pipe::number(i.tokens, uint64_t(at->second.segment) << 2);
      for (auto &access : m_pending)
      {
        Pipe::number(i.tokens, uint64_t(at->second.index) << 2 | 1);
        Pipe::number(i.tokens, uint64_t(access.bytes) << 1 | access.store);
        Pipe::signedNumber(i.tokens, int64_t(access.address - i.before));
        i.before = access.address;
      }
    }
    m_pending.clear();
  }
  void memoryLoad(const Memory *m, const WorkItem *, size_t address, size_t size) override
  {
    access(m, address, size, false);
  }
  void memoryStore(const Memory *m, const WorkItem *, size_t address, size_t size, const uint8_t *) override
  {
    access(m, address, size, true);
  }
  // An atomic is one access: its load.
  void memoryAtomicLoad(const Memory *m, const WorkItem *, oclgrind::AtomicOp, size_t address,
                        size_t size) override
  {
    access(m, address, size, false);
  }
  void memoryLoad(const Memory *, const WorkGroup *, size_t, size_t) override { asynchronous(); }
  void memoryStore(const Memory *, const WorkGroup *, size_t, size_t, const uint8_t *) override
  {
    asynchronous();
  }

private:
  struct Item
  {
    std::string tokens;
    uint64_t before = 0;
  };
  struct Access
  {
    uint64_t address;
    size_t bytes;
    bool store;
  };

  static void triple(std::string &s, const Size3 &v)
  {
    for (unsigned i = 0; i < 3; i++)
      Pipe::number(s, v[i]);
  }
  void copied(const Memory *memory, size_t address, size_t size)
  {
    uint64_t to;
    std::string body;
    if (!m_map.translate(memory->extractBuffer(address), memory->extractOffset(address), to))
      return;
    Pipe::number(body, to);
    Pipe::number(body, size);
    m_pipe.send(CAP_COPY, body);
  }
  Item &of(const WorkItem *item)
  {
    if (item != m_now)
    {
      Size3 id = item->getLocalID();
      m_now = item;
      m_nowItem = &m_item[id.x + m_size.x * (id.y + m_size.y * id.z)];
    }
    return *m_nowItem;
  }
  void access(const Memory *m, size_t address, size_t size, bool store)
  {
    uint64_t to;
    if (!m_active)
      return;
    switch (m->getAddressSpace())
    {
    case oclgrind::AddrSpaceLocal: to = CAP_SHARED_BASE + m_shared.translate(m, address); break;
    case oclgrind::AddrSpacePrivate: to = CAP_LOCAL_BASE + m_private.translate(m, address); break;
    default:
      if (!m_map.translate(m->extractBuffer(address), m->extractOffset(address), to))
        return;
      for (uint64_t line = to / CAP_LINE_BYTES; line <= (to + size - 1) / CAP_LINE_BYTES; line++)
        if (m_pipe.values() && line != m_lastLine)
          m_lines.insert(m_lastLine = line);
    }
    m_pending.push_back({to, size, store});
  }
  void asynchronous()
  {
    if (m_active && !m_toldAsync)
      m_pipe.send(CAP_LOST, "the memory traffic of async_work_group_copy");
    m_toldAsync = true;
  }
  void sendItems()
  {
    std::string body;
    for (size_t i = 0; i < m_item.size(); i++)
    {
      body.clear();
      Pipe::number(body, i);
      body += m_item[i].tokens;
      m_pipe.send(CAP_ITEM, body);
      m_item[i].tokens.clear();
      m_item[i].before = 0;
    }
  }
  void sendLines()
  {
    std::vector<uint64_t> lines(m_lines.begin(), m_lines.end());
    std::vector<const AddressMap::Buffer *> buffers;
    for (auto &b : m_map.buffers())
      if (b.base)
        buffers.push_back(&b);
    std::sort(lines.begin(), lines.end());
    std::sort(buffers.begin(), buffers.end(),
              [](const AddressMap::Buffer *a, const AddressMap::Buffer *b) { return a->base < b->base; });
    const Memory *memory = m_context->getGlobalMemory();
    size_t k = 0;
    for (uint64_t line : lines)
    {
      uint64_t from = line * CAP_LINE_BYTES;
      while (k < buffers.size() && buffers[k]->base + buffers[k]->bytes <= from)
        k++;
      if (k == buffers.size() || buffers[k]->base > from)
        continue;
      uint64_t offset = from - buffers[k]->base;
      const void *p = memory->getPointer(buffers[k]->original + offset);
      char bytes[CAP_LINE_BYTES] = {0};
      if (p)
        memcpy(bytes, p, size_t(std::min<uint64_t>(CAP_LINE_BYTES, buffers[k]->bytes - offset)));
      std::string body;
      Pipe::number(body, from);
      body.append(bytes, sizeof bytes);
      m_pipe.send(CAP_LINE, body);
    }
    m_lastLine = ~uint64_t(0);
  }

  Pipe &m_pipe;
  AddressMap m_map;
  FrameMap m_shared, m_private;
  Describer::Places m_places;
  std::vector<Item> m_item;
  Size3 m_size;
  const WorkItem *m_now = nullptr;
  Item *m_nowItem = nullptr;
  std::vector<Access> m_pending;
  std::unordered_set<uint64_t> m_lines;
  uint64_t m_lastLine = ~uint64_t(0);
  bool m_active = false, m_toldAsync = false;
};

std::map<oclgrind::Context *, Capture *> plugins;
} // namespace

extern "C" void initializePlugins(oclgrind::Context *context)
{
  plugins[context] = new Capture(context);
  context->registerPlugin(plugins[context]);
}

extern "C" void releasePlugins(oclgrind::Context *context)
{
  auto it = plugins.find(context);
  if (it == plugins.end())
    return;
  context->unregisterPlugin(it->second);
  delete it->second;
  plugins.erase(it);
}
