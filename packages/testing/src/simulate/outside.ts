/** Readable names for Node's names of resources. A resource that is missing here has Node's name. */
const names: Readonly<Record<string, string>> = {
  Timeout: 'timer of Node’s (setTimeout, setInterval; a test runner has some)',
  TCPSocketWrap: 'TCP connection',
  TCPServerWrap: 'TCP server',
  TLSWrap: 'TLS connection',
  TCPConnectWrap: 'TCP connection that is being opened',
  GetAddrInfoReqWrap: 'DNS lookup',
  GetNameInfoReqWrap: 'DNS lookup',
  FSReqCallback: 'file operation',
  FSReqPromise: 'file operation',
  ProcessWrap: 'child process',
  Worker: 'worker',
}

/** The resources of the simulation itself, and those that every process has. */
const ignored = new Set(['Immediate', 'TickObject', 'Microtask', 'MessagePort', 'PipeWrap', 'TTYWrap'])

/** The active resources of the process for which simulated time does not wait, a line for each kind. The code under test may wait for them. */
export function outsideWaits(): string[] {
  const counts = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) {
    if (ignored.has(type)) continue
    const name = names[type] ?? type
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return Array.from(
    counts,
    ([name, count]) => `outside the simulation, for which simulated time does not wait: ${count} × ${name}`,
  )
}
