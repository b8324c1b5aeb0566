import { once } from 'node:events'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

/** A server of a folder's files. */
export interface FolderServer {
  readonly url: string
  close(): Promise<void>
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Serves the folder's files below the path `base`, to this machine alone. Port 0 takes a free one. */
export async function serveFolder(folder: string, base: string, port: number): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const file = fileFor(folder, base, request.url ?? '/')
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': types[extname(file ?? '')] ?? 'text/plain' })
    if (file === undefined) response.end('not found\n')
    else createReadStream(file).pipe(response)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`, close }
}

/** The file of a request's path; `undefined` if there is none. A path never leads out of the folder. */
export function fileFor(folder: string, base: string, url: string): string | undefined {
  let path: string
  try {
    path = decodeURIComponent(new URL(url, 'http://localhost').pathname)
  } catch {
    return undefined
  }
  if (!path.startsWith(base)) return undefined
  const inside = normalize(`/${path.slice(base.length)}`)
  const file = join(folder, inside.endsWith('/') ? `${inside}index.html` : inside)
  return existsSync(file) && statSync(file).isFile() ? file : undefined
}
