GPU_0/kernel-1-ctx_0x1.traceg

MemcpyDtoH,0x1,2