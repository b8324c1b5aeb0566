/** The smallest operator there is: one kind of custom resource, and a lease. */
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { Operator } from '@wherry/controller'
import { widgets } from '../../server/widgets.ts'
import { addressOfProgram } from '../reconcile/in-program.ts'

const { url, ca, token } = addressOfProgram()
const client = new Client({ access: fromUrl(url, { ca, token }) })
const operator = new Operator({ name: 'hello', client, leader: { namespace: 'default' } })
operator
  .controller('hello')
  .for(widgets)
  .reconcile(() => {
    console.log('ready')
  })
await operator.run()
