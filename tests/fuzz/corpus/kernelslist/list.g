MemcpyHtoD,0x7f00,400
kernel-1.traceg
cudaMalloc,0x10,8
kernel-2.traceg.xz
