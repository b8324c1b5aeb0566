/**
 * An operator with a webhook to be killed at any moment. It refuses games that are named `probe`. Its argument: JSON of what a client takes.
 */
import { Client } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { Webhooks } from '@wherry/webhook'
import { games, operatorNamespace } from './games.ts'

const client = new Client(JSON.parse(process.argv[2] ?? ''))
const operator = new Operator({ name: 'arcade', client })
const webhooks = new Webhooks(operator, {
  ...{ service: { namespace: operatorNamespace, name: 'arcade' }, groups: ['arcade.example.com'] },
  ...{ address: '127.0.0.1', host: '127.0.0.1', port: 0 },
})
webhooks
  .webhook('no-probe')
  .for(games)
  .validate(({ object, deny }) => {
    if (object.metadata.name === 'probe') deny('it is a probe')
  })

await operator.run()
await client.close()
