import type { Socket } from 'node:net'

/**
 * The address to which a socket sends unencrypted bytes: the proxy's, if there is one. `undefined` with TLS. It is no name, because a name may resolve to any
 * address.
 */
export function readableBy(target: URL, { remoteAddress }: Pick<Socket, 'remoteAddress'>): string | undefined {
  return target.protocol === 'https:' ? undefined : (remoteAddress ?? 'an unknown address')
}
