import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { connectHttp1 } from './http1.ts'

/** What a connection over a socket to this address says of who can read it. */
async function readableBy(url: string, remoteAddress: string | undefined): Promise<string | undefined> {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
  const connection = connectHttp1(new URL(url), socket, { maxHeaderBytes: 1024 }, undefined)
  socket.destroy()
  await connection.close()
  return connection.readableBy
}

it('X2: who can read an unencrypted connection is told by the address that it is connected to, not by a name', async () => {
  for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) {
    expect(await readableBy('http://example.com', address)).toBeUndefined()
  }
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '2001:db8::127.0.0.1']) {
    expect(await readableBy('http://localhost:8080', address)).toBe(address)
    expect(await readableBy('http://dev.localhost', address)).toBe(address)
    expect(await readableBy('https://localhost', address)).toBeUndefined()
  }
  expect(await readableBy('http://localhost', undefined)).toBe('an unknown address')
})
