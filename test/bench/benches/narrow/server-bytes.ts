import { readFileSync } from 'node:fs'
import { configMaps } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { fillSource } from '../../server/fill-source.ts'
import { clientFor } from '../../server/wherry.ts'
import { apart } from './apart.ts'
import { keys } from './keys.ts'

/** What each entry adds to the RSS of an embedded server of its own, garbage included, above one that has a first one. */
export async function serverBytesPerEntry(count: number): Promise<number> {
  await using server = await startApiServer({ isolate: true, tls: true })
  await server.fill(fillSource(count))
  await using client = clientFor({ url: server.url, ca: server.ca, token: server.token, emptyVersion: '0' })
  await using narrow = apart(client)
  const wanted = keys(count)
  const [first] = wanted
  if (first === undefined) throw new Error('no object was generated')
  await narrow.get(configMaps, first)
  const before = rssOf(server.pid)
  await Promise.all(wanted.map(key => narrow.get(configMaps, key)))
  return (rssOf(server.pid) - before) / count
}

function rssOf(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (found === null) throw new Error(`no VmRSS of ${pid}`)
  return Number(found[1]) * 1024
}
