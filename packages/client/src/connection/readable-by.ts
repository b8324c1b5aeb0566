import type { Socket } from 'node:net'

/** The address at which a socket can be read on the way: the proxy's, if there is one. `undefined` with TLS. Any name may be resolved to any address. */
export function readableBy(target: URL, { remoteAddress }: Pick<Socket, 'remoteAddress'>): string | undefined {
  return target.protocol === 'https:' ? undefined : (remoteAddress ?? 'an unknown address')
}
