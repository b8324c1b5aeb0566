import { randomUUID } from 'node:crypto'
import { generate } from 'selfsigned'

/** A certificate for 127.0.0.1 that is its own CA. PEM. */
export async function certificateOfLoopback(): Promise<{ readonly cert: string; readonly key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: `test ${randomUUID()}` }], {
    // A key of RSA takes a hundred times as long to make, and each test that starts a registry makes one.
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  return { cert, key }
}
