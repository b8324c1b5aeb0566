import { join } from 'node:path'
import { configMaps } from '@wherry/client/resources/core'
import type { Stage } from '../../tools/runner/stage.ts'
import { SqliteSink } from './sqlite-sink.ts'

const namespace = 'registrar'

/** Plays the cluster, kills the program in the midst of its work, and looks into its table. */
export async function verify({ client, folder, start, until, say }: Stage): Promise<void> {
  const put = (name: string, value: string): Promise<unknown> =>
    client.apply(configMaps, { metadata: { namespace, name }, data: { value } }, { fieldManager: 'verify' })
  const cluster = async (): Promise<string> => {
    const { items } = await client.list(configMaps)
    const rows = items.map(({ metadata }) => [`${metadata?.namespace}/${metadata?.name}`, metadata?.resourceVersion])
    return JSON.stringify(rows.sort())
  }
  const sink = new SqliteSink(join(folder, 'objects.db'))
  const table = (): string => JSON.stringify([...sink.contents(configMaps)].sort())
  const isEqual = async (): Promise<boolean> => table() === (await cluster())
  try {
    for (let i = 0; i < 50; i++) await put(`a${i}`, 'first')
    const first = start()
    await until('the table is equal to the cluster', isEqual)
    await put('a0', 'second')
    await client.delete(configMaps, { namespace, name: 'a1' })
    await until('the table has followed', isEqual)
    say('the table is equal to the cluster, and follows it')

    await first.kill()
    for (let i = 2; i < 20; i++) await client.delete(configMaps, { namespace, name: `a${i}` })
    await put('b0', 'new')
    const second = start()
    await until('the table is equal to the cluster again', isEqual)
    await until('the program says so', () => second.said.includes('synced'))
    await second.stop()
    say('after a kill too: what went meanwhile is gone')
  } finally {
    sink.close()
  }
}
