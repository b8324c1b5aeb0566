import { ConnectionError } from '../connection/error.ts'
import type { RequestHead } from '../transport.ts'
import { isLoopback } from './loopback.ts'

/** Headers that show a server who one is: never sent unencrypted to another machine (rule X2). */
export function carriesSecret(headers: RequestHead['headers']): boolean {
  return headers.authorization !== undefined || headers.cookie !== undefined
}

/**
 * Decides whether credentials may go unencrypted to `host` (rule X2). A connection gives the address that it is open to.
 * What makes an access asks with the names that it is given, so that most mistakes are known before the first request.
 *
 * @throws ConnectionError `INSECURE_TOKEN` where the host is another machine.
 */
export function refuseUnencrypted(host: string): void {
  if (isLoopback(host)) return
  throw new ConnectionError('INSECURE_TOKEN', `credentials are not sent over plain http to ${host}`, {
    unprocessed: true,
  })
}
