import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { startApiServer } from '@wherry/testing'

/** An operator and its API server in one process, without an await at the top: so it is CommonJS or an ES module, as it is compiled. */
export async function small(): Promise<string | undefined> {
  const server = await startApiServer()
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const operator = new Operator({ name: 'small', client })
  const ours = configMaps.within({ labels: { by: 'small' } })
  operator
    .controller('copy')
    .for(configMaps.within({ labels: { copied: 'yes' } }))
    .owns(ours)
    .reconcile(async ({ key, object, apply }) => {
      await apply(ours, { metadata: { name: `${key.name}-copy` }, data: object.data ?? {} })
    })
  const running = operator.run({ signals: false })
  const namespace = 'default'
  await client.create(configMaps, { metadata: { name: 'a', namespace, labels: { copied: 'yes' } }, data: { x: '1' } })
  await operator.settled()
  const copy = await client.get(configMaps, { name: 'a-copy', namespace })
  await operator.close()
  await running
  await client.close()
  await server.close()
  return copy?.data?.x
}

if (process.env.RUN_SMALL === 'yes')
  small().then(
    x => console.log(`copied ${x}`),
    error => {
      console.error(error)
      process.exitCode = 1
    },
  )
