"""A seccomp filter: the system calls that the Linux kernel denies to a learner's process.

The guard in `child.py` explains its errors but sees only Python's audit events; this filter stops
machine code too. A denied call fails with EPERM, and the program continues. The filter is a classic BPF
program, assembled below for this process and this processor.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

# Each call with its number on x86-64 and on ARM64; `-` where the architecture does not have the call.
REFUSED = """
the network
    socket 41 198  socketpair 53 199  connect 42 203  bind 49 200  listen 50 201  accept 43 202
    accept4 288 242  sendto 44 206  sendmsg 46 211  sendmmsg 307 269  recvfrom 45 207
    recvmsg 47 212  recvmmsg 299 243  shutdown 48 210  getsockname 51 204  getpeername 52 205
    setsockopt 54 208  getsockopt 55 209
new processes, sessions and namespaces
    fork 57 -  vfork 58 -  execve 59 221  execveat 322 281  setsid 112 157  setpgid 109 154
    unshare 272 97  setns 308 268
other processes
    tkill 200 130  pidfd_open 434 434  pidfd_send_signal 424 424  pidfd_getfd 438 438
    ptrace 101 117  process_vm_readv 310 270  process_vm_writev 311 271  process_madvise 440 440
    process_mrelease 448 448  kcmp 312 272  get_robust_list 274 100  setpriority 141 140
    ioprio_set 251 30  sched_setscheduler 144 119  sched_setparam 142 118  sched_setattr 314 274
    move_pages 279 239  migrate_pages 256 238
memory that no limit counts, and calls that bypass the filter
    setrlimit 160 164  memfd_create 319 279  memfd_secret 447 447  userfaultfd 323 282
    shmget 29 194  shmat 30 196  shmctl 31 195  shmdt 67 197  semget 64 190  semop 65 193
    semctl 66 191  semtimedop 220 192  msgget 68 186  msgsnd 69 189  msgrcv 70 188  msgctl 71 187
    mq_open 240 180  mq_unlink 241 181  mq_timedsend 242 182  mq_timedreceive 243 183
    mq_notify 244 184  mq_getsetattr 245 185  io_uring_setup 425 425  io_uring_enter 426 426
    io_uring_register 427 427
what Landlock does not restrict: modes, owners, times and attributes of any file
    chmod 90 -  fchmod 91 52  fchmodat 268 53  chown 92 -  fchown 93 55  lchown 94 -
    fchownat 260 54  utime 132 -  utimes 235 -  futimesat 261 -  utimensat 280 88  setxattr 188 5
    lsetxattr 189 6  fsetxattr 190 7  removexattr 197 14  lremovexattr 198 15  fremovexattr 199 16
    name_to_handle_at 303 264  open_by_handle_at 304 265
the system itself
    fanotify_init 300 262  fanotify_mark 301 263  quotactl 179 60  quotactl_fd 443 443
    chroot 161 51  pivot_root 155 41  mount 165 40  umount2 166 39  open_tree 428 428
    move_mount 429 429  fsopen 430 430  fsconfig 431 431  fsmount 432 432  fspick 433 433
    mount_setattr 442 442  swapon 167 224  swapoff 168 225  acct 163 89  setuid 105 146
    setgid 106 144  setreuid 113 145  setregid 114 143  setresuid 117 147  setresgid 119 149
    setfsuid 122 151  setfsgid 123 152  setgroups 116 159  capset 126 91  add_key 248 217
    request_key 249 218  keyctl 250 219  bpf 321 280  perf_event_open 298 241  init_module 175 105
    finit_module 313 273  delete_module 176 106  kexec_load 246 104  kexec_file_load 320 294
    reboot 169 142  sethostname 170 161  setdomainname 171 162  settimeofday 164 170
    clock_settime 227 112  adjtimex 159 171  clock_adjtime 305 266  syslog 103 116  iopl 172 -
    ioperm 173 -  modify_ldt 154 -  personality 135 92  vhangup 153 58  lookup_dcookie 212 18
    uselib 134 -  nfsservctl 180 42  _sysctl 156 -  create_module 174 -
"""
# Rejected for some arguments only.
DEPENDS = """
    clone 56 220  clone3 435 435  kill 62 129  tgkill 234 131  rt_sigqueueinfo 129 138
    rt_tgsigqueueinfo 297 240  prlimit64 302 261  prctl 157 167  fcntl 72 25  ioctl 16 29  mmap 9 222
    sched_setaffinity 203 122  seccomp 317 277
"""
NEWEST = 450  # later calls have not been reviewed, so they are rejected
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # the column, the kernel's code

CLONE_THREAD = 0x10000
SHARED_ANONYMOUS = 0x21  # memory that no limit counts
OWNER_OF_A_FILE = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: the receiver of I/O signals
STAY_ALIVE = 1  # PR_SET_PDEATHSIG: whether to end with the judge
HARMLESS_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # of terminals and pipes, by ioctl

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, UNKNOWN = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
LOAD, RETURN, AND = 0x20, 0x06, 0x54
EQUAL, GREATER, ANY_BIT = 0x15, 0x25, 0x45  # jumps: skip `yes` instructions if true, else `no`
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2
ACTION_AVAILABLE = 2

Instruction = tuple[int, int, int, int]  # opcode, yes, no, operand


def numbers(table: str, machine: str = "") -> dict[str, int]:
    """The system calls of a table with their numbers, by default for this processor."""
    column = MACHINES[machine or platform.machine()][0]
    words = [word for line in table.splitlines() if line.startswith(" ") for word in line.split()]
    rows = zip(words[::3], zip(words[1::3], words[2::3], strict=True), strict=True)
    return {name: int(found[column]) for name, found in rows if found[column] != "-"}


def available() -> bool:
    """Whether the kernel supports filters and lets this process use them."""
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return False
    action = ctypes.c_uint32(0x50000)
    call = ctypes.CDLL(None).syscall
    number = numbers(DEPENDS)["seccomp"]
    return int(call(number, ctypes.c_ulong(ACTION_AVAILABLE), 0, ctypes.byref(action))) == 0


def program(process: int) -> list[Instruction]:
    """The filter for the process with this id."""
    depends = numbers(DEPENDS)
    own = [(LOAD, 0, 0, _argument(0)), (EQUAL, 1, 0, process), (RETURN, 0, 0, REFUSE)]
    rules: dict[str, list[Instruction]] = {
        # Threads are clones; without clone3, glibc uses clone, whose flags a filter can read.
        "clone": [(LOAD, 0, 0, _argument(0)), (ANY_BIT, 1, 0, CLONE_THREAD), (RETURN, 0, 0, REFUSE)],
        "clone3": [(RETURN, 0, 0, UNKNOWN)],
        **dict.fromkeys(("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"), own),
        "prlimit64": [*_refused_if_given(2)],
        "prctl": [(LOAD, 0, 0, _argument(0)), (EQUAL, 0, 1, STAY_ALIVE), (RETURN, 0, 0, REFUSE)],
        "fcntl": [(LOAD, 0, 0, _argument(1)), *_refused_if_in(OWNER_OF_A_FILE)],
        "ioctl": [(LOAD, 0, 0, _argument(1)), *_allowed_if_in(HARMLESS_REQUESTS)],
        "mmap": [
            (LOAD, 0, 0, _argument(3)),
            (AND, 0, 0, SHARED_ANONYMOUS),
            (EQUAL, 0, 1, SHARED_ANONYMOUS),
            (RETURN, 0, 0, REFUSE),
        ],
        "sched_setaffinity": _refused_if_given(0),
    }
    found: list[Instruction] = [
        # Calls of other architectures, such as 32-bit programs, have other numbers.
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, MACHINES[platform.machine()][1]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (GREATER, 0, 1, NEWEST),
        (RETURN, 0, 0, UNKNOWN),
    ]
    for number in numbers(REFUSED).values():
        found += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    for name, rule in rules.items():
        body = [*rule, (RETURN, 0, 0, ALLOW)]
        found += [(EQUAL, 0, len(body), depends[name]), *body]
    return [*found, (RETURN, 0, 0, ALLOW)]


def enclose() -> None:
    """Install the filter on this process, irrevocably; OSError if the kernel rejects it."""
    code = b"".join(struct.pack("=HBBI", *each) for each in program(os.getpid()))
    text = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("@HP", len(code) // 8, ctypes.addressof(text))
    prctl(NO_NEW_PRIVILEGES, 1, None, "new privileges cannot be given up")
    prctl(SET_SECCOMP, FILTER, head, "the kernel rejected the system call filter")


def prctl(option: int, first: int, second: bytes | None, failure: str) -> None:
    library, no = ctypes.CDLL(None, use_errno=True), ctypes.c_ulong(0)
    if library.prctl(option, ctypes.c_ulong(first), ctypes.c_char_p(second), no, no):
        raise OSError(ctypes.get_errno(), failure)


def _argument(which: int) -> int:
    """The offset of the lower half of an argument; both processors are little endian."""
    return ARGUMENTS + 8 * which


def _refused_if_given(which: int) -> list[Instruction]:
    """Reject unless all 64 bits of an argument are 0."""
    low, high = _argument(which), _argument(which) + 4
    return [
        *((LOAD, 0, 0, low), (EQUAL, 1, 0, 0), (RETURN, 0, 0, REFUSE)),
        *((LOAD, 0, 0, high), (EQUAL, 1, 0, 0), (RETURN, 0, 0, REFUSE)),
    ]


def _refused_if_in(values: tuple[int, ...]) -> list[Instruction]:
    return [each for value in values for each in ((EQUAL, 0, 1, value), (RETURN, 0, 0, REFUSE))]


def _allowed_if_in(values: tuple[int, ...]) -> list[Instruction]:
    allowed = [each for value in values for each in ((EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW))]
    return [*allowed, (RETURN, 0, 0, REFUSE)]
