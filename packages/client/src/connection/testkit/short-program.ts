/** A program that does what it has to with a client, says so, and comes to its end; it closes the client only if an argument says so. */
import { Client } from '../../client.ts'
import { configMaps } from '../../resources/core.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const { patient, close, fetches, ...options } = JSON.parse(process.argv[2] ?? '')
// By themselves its connections would last for ever.
const client = new Client({ ...options, idleMs: Number.POSITIVE_INFINITY, pingAfterMs: 1000 })
say(`read ${(await client.list(configMaps)).items.length}`)
// No timer keeps the process alive while this is answered.
if (patient) say(`there are ${(await client.list(configMaps, { timeoutMs: Number.POSITIVE_INFINITY })).items.length}`)
if (close) await client.close()
// Node itself lists what it has loaded of its own modules.
const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] }
if (fetches) say(moduleLoadList.some(name => name.includes('undici')) ? 'with fetch' : 'without fetch')
say('done')
