import { Client, type KubernetesObject, type Resource } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { Operator } from '@wherry/controller'
import { addressOfProgram } from '../reconcile/in-program.ts'

/** Runs an operator that has nothing to do. */
export async function runOperator<T extends KubernetesObject>(games: Resource<T, 'namespaced'>): Promise<void> {
  const { url, ca, token } = addressOfProgram()
  const client = new Client({ access: fromUrl(url, { ca, token }) })
  const operator = new Operator({ name: 'games', client, leader: { namespace: 'default' } })
  operator
    .controller('games')
    .for(games)
    .reconcile(() => {
      console.log('ready')
    })
  await operator.run()
}
