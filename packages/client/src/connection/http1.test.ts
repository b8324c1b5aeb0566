import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { connectHttp1 } from './http1.ts'

/** What a connection over a socket to this address says about its readers. */
async function readableBy(url: string, remoteAddress: string | undefined): Promise<string | undefined> {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
  const connection = connectHttp1(new URL(url), socket, { maxHeaderBytes: 1024 })
  socket.destroy()
  await connection.close()
  return connection.readableBy
}

it('X2: the possible readers of an unencrypted connection follow from the address that it is connected to, not from a name', async () => {
  expect(await readableBy('http://example.com', '127.0.0.1')).toBe('127.0.0.1')
  expect(await readableBy('http://localhost:8080', '10.0.0.1')).toBe('10.0.0.1')
  expect(await readableBy('https://localhost', '10.0.0.1')).toBeUndefined()
  expect(await readableBy('http://localhost', undefined)).toBe('an unknown address')
})
