import { connect } from 'node:net'

const readBytes = 64 * 1024

/** Reads a port of this machine to its end, into a single buffer, and gives how many bytes came. */
export function drain(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    const callback = (length: number): boolean => {
      bytes += length
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.allocUnsafeSlow(readBytes), callback } })
    socket.once('error', reject)
    socket.once('close', () => resolve(bytes))
    socket.resume()
  })
}
