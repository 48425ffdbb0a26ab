/* protocol.h - what the Oclgrind plugin (C++) tells `tracegen capture` (C) through a pipe.
 *
 * A sequence of records: one letter, the length of the rest as a LEB128 number, the
 * rest. Numbers in binary records are LEB128; signed ones are zigzag-coded first. The
 * plugin knows LLVM and Oclgrind and nothing of warps; tracegen knows warps, registers and
 * traces and nothing of LLVM. */
#ifndef CT_TRACEGEN_CAPTURE_PROTOCOL_H
#define CT_TRACEGEN_CAPTURE_PROTOCOL_H

/* How tracegen configures the plugin. */
#define CAP_ENV_FD "CACHETRIAGE_CAPTURE_FD"             /* number of the pipe's descriptor */
#define CAP_ENV_LAUNCHES "CACHETRIAGE_CAPTURE_LAUNCHES" /* record this many launches; 0 = all */
#define CAP_ENV_VALUES "CACHETRIAGE_CAPTURE_VALUES"     /* 1: send CAP_LINE records */

#define CAP_VERSION 1

enum cap_record {
	CAP_HELLO = 'H',   /* number CAP_VERSION */
	CAP_COPY = 'C',    /* device address, bytes: the host wrote device memory */
	CAP_PROGRAM = 'P', /* text: the kernel of the next launch, see program.h */
	CAP_LAUNCH = 'L',  /* grid x y z, block x y z, bytes of local memory */
	CAP_GROUP = 'G',   /* work-group x y z */
	/* Work-item number in the group (x fastest), then what it did since the last
	 * CAP_MERGE, as tokens. A token is a number whose lowest two bits say what it is:
	 *   00  a segment begins: its number << 2
	 *   01  an access: (instruction in the segment << 2) | 1, then bytes << 1 | store,
	 *       then the address less that of this item's access before, signed */
	CAP_ITEM = 'I',
	CAP_MERGE = 'M', /* all items wait at a barrier */
	CAP_GROUP_END = 'E',
	CAP_LINE = 'V', /* device address, then 128 bytes: a touched line at kernel end, ascending */
	CAP_LAUNCH_END = 'K',
	CAP_LOST = 'X', /* text: something of the program that is not recorded */
	CAP_DONE = 'Z'  /* the program ended in good order */
};

/* Where addresses of local and private memory lie in CAP_ITEM records: the windows that
 * tracegen's own kernels have. Device memory starts where its buffers do. */
#define CAP_SHARED_BASE 0x7f5000000000ull
#define CAP_LOCAL_BASE 0x7f4e00000000ull
#define CAP_GLOBAL_BASE 0x7f5200000000ull

enum { CAP_LINE_BYTES = 128 };

#endif
