import type { Store } from '../store/store.ts'

const services = { group: '', plural: 'services', kind: 'Service', namespaced: true, custom: false }
const firstPort = 30_000
const ports = 2768

/** The cluster's addresses and the nodes' ports for Services. The addresses and ports of Services in the store are taken. */
export class ServiceAddresses {
  readonly #store: Store
  readonly #random: () => number

  constructor(store: Store, random: () => number) {
    this.#store = store
    this.#random = random
  }

  /** The reason for which a Service can't have an address; `undefined` if it can. */
  problem(ip: string): string | undefined {
    const range = /^10\.0\.(\d+)\.(\d+)$/.exec(ip)
    // The first and the last address of the range are no addresses of hosts.
    if (range === null || ['10.0.0.0', '10.0.255.255'].includes(ip)) {
      return 'the provided network does not match the current range'
    }
    return this.#isTaken(`"clusterIP":"${ip}"`) ? 'provided IP is already allocated' : undefined
  }

  /** The reason for which a Service can't have a port of the nodes; `undefined` if it can. */
  portProblem(port: number): string | undefined {
    const lastPort = firstPort + ports - 1
    if (port < firstPort || port > lastPort) {
      return `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`
    }
    const isTaken = this.#isTaken(`"nodePort":${port}`) || this.#isTaken(`"healthCheckNodePort":${port}`)
    return isTaken ? 'provided port is already allocated' : undefined
  }

  /** A free address of 10.0.0.0/16. */
  freeIp(): string {
    return this.#free(
      0xfffd,
      i => `10.0.${(i + 2) >> 8}.${(i + 2) & 0xff}`,
      ip => this.problem(ip) === undefined,
    )
  }

  /** A free port of the nodes that is not in `others`. */
  freePort(others: ReadonlySet<number>): number {
    const isFree = (port: number): boolean => !others.has(port) && this.portProblem(port) === undefined
    return this.#free(ports, i => firstPort + i, isFree)
  }

  #free<T>(count: number, at: (i: number) => T, isFree: (value: T) => boolean): T {
    const start = Math.floor(this.#random() * count)
    for (let i = 0; i < count; i++) {
      const value = at((start + i) % count)
      if (isFree(value)) return value
    }
    throw new Error('no address or port is left for Services')
  }

  #isTaken(text: string): boolean {
    return this.#store
      .collection(services)
      .snapshot('')
      .some(version => version.text.includes(text))
  }
}
