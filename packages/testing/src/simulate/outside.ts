/** What Node's names of resources mean to whoever reads a failure. What is missing here is told by Node's name. */
const names: Readonly<Record<string, string>> = {
  Timeout: 'timer of Node’s (setTimeout, setInterval)',
  TCPSocketWrap: 'TCP connection',
  TCPServerWrap: 'TCP server',
  TLSWrap: 'TLS connection',
  TCPConnectWrap: 'TCP connection that is being opened',
  PipeWrap: 'pipe',
  GetAddrInfoReqWrap: 'DNS lookup',
  GetNameInfoReqWrap: 'DNS lookup',
  FSReqCallback: 'file operation',
  FSReqPromise: 'file operation',
  ProcessWrap: 'child process',
  MessagePort: 'worker or message port',
}

/** The simulation's own, and what holds nothing up. */
const ignored = new Set(['Immediate', 'TickObject', 'Microtask'])

/**
 * Tells what the process waits for that simulated time can't see: what it has come to hold since this was made, by kind,
 * a line each. Something else in the process may have begun it too, such as the program that runs the tests.
 */
export function outsideWaits(): () => string[] {
  const before = counted()
  return () =>
    [...counted()].flatMap(([name, count]) => {
      const more = count - (before.get(name) ?? 0)
      return more > 0 ? [`outside the simulation, for which simulated time does not wait: ${more} × ${name}`] : []
    })
}

function counted(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) {
    if (ignored.has(type)) continue
    const name = names[type] ?? type
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
