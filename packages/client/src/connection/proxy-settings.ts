import { BlockList, isIP } from 'node:net'

/** The proxies of requests, and the hosts that are reached without one. */
export interface ProxySettings {
  /** The proxy for https: `http://proxy.example.com:3128`. Without a scheme it is an http proxy. @default none */
  readonly https?: string | undefined
  /** The proxy for http. @default none */
  readonly http?: string | undefined
  /**
   * Hosts that are reached without a proxy, separated by commas or spaces. `example.com` means that name and all names below it, `.example.com`
   * only the names below it, and `10.96.0.0/12` a network. An entry may end with a port, and then means only that port. `*` means all hosts.
   * @default none
   */
  readonly noProxy?: string | undefined
}

/** Names and addresses of this machine. Requests to it may be unencrypted and carry tokens, so no proxy may see them. */
const thisMachine = 'localhost,127.0.0.0/8,::1'

/**
 * Reads HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY. A lower-case name has precedence. As in Go, this machine is
 * reached without a proxy.
 *
 * @example
 * ```ts
 * import { proxyFor, proxySettings } from '@wherry/client'
 *
 * const settings = proxySettings({ HTTPS_PROXY: 'proxy.example.com:3128', NO_PROXY: '.svc' })
 * console.log(proxyFor(new URL('https://scores.example.com'), settings)) // http://proxy.example.com:3128
 * console.log(proxyFor(new URL('https://scores.arcade.svc'), settings)) // undefined
 * ```
 */
export function proxySettings(env: Readonly<Record<string, string | undefined>> = process.env): ProxySettings {
  const of = (name: string): string | undefined => env[name] || env[name.toUpperCase()] || undefined
  const [all, noProxy] = [of('all_proxy'), of('no_proxy')]
  return {
    https: of('https_proxy') ?? all,
    http: of('http_proxy') ?? all,
    noProxy: noProxy === undefined ? thisMachine : `${thisMachine},${noProxy}`,
  }
}

/**
 * Returns the URL of the proxy for a request to `target`; `undefined` if it takes none.
 *
 * @example
 * ```ts
 * import { proxyFor } from '@wherry/client'
 *
 * const proxy = proxyFor(new URL('https://scores.example.com'))
 * console.log(proxy ?? 'no proxy') // as HTTPS_PROXY and NO_PROXY of this process say
 * ```
 */
export function proxyFor(target: URL, settings: ProxySettings = proxySettings()): string | undefined {
  const proxy = target.protocol === 'https:' ? settings.https : settings.http
  if (!proxy || isExempt(target, settings.noProxy ?? '')) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

function isExempt(target: URL, noProxy: string): boolean {
  const host = target.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
  const port = target.port || (target.protocol === 'https:' ? '443' : '80')
  const entries = noProxy.toLowerCase().split(/[,\s]+/)
  const version = isIP(host)
  const networks = new BlockList()
  for (const entry of entries) {
    if (entry === '*') return true
    const [name, itsPort] = hostAndPort(entry)
    if (itsPort !== undefined && itsPort !== port) continue
    if (version === 0 && isNameOf(host, name)) return true
    if (version !== 0) addNetwork(networks, name)
  }
  return version !== 0 && networks.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** An address of IPv6 has a port only after brackets. */
function hostAndPort(entry: string): readonly [host: string, port: string | undefined] {
  const [, address, ofAddress] = /^\[(.*)\](?::(\d+))?$/.exec(entry) ?? []
  if (address !== undefined) return [address, ofAddress]
  const [, name, port] = /^([^:]*):(\d+)$/.exec(entry) ?? []
  return name === undefined ? [entry, undefined] : [name, port]
}

function isNameOf(host: string, entry: string): boolean {
  const name = entry.replace(/^\*?\./, '').replace(/\.$/, '')
  return name !== '' && (host.endsWith(`.${name}`) || (host === name && !/^\*?\./.test(entry)))
}

/** Adds the network of an entry. Ignores an entry of another form. */
function addNetwork(networks: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/')
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  if (version === 0 || (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > longest))) return
  networks.addSubnet(address, Number(bits ?? longest), version === 4 ? 'ipv4' : 'ipv6')
}
