/** The operator of the test of `wherry manifests`: it refuses games for more than eight players, and converts games of `v1beta1`. */
import { defineResource, type KubernetesObject } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { Conversion, Webhooks } from '@wherry/webhook'

interface OldGame extends KubernetesObject {
  readonly spec?: { readonly size?: number | undefined }
}
interface Game extends KubernetesObject {
  readonly spec?: { readonly players?: number | undefined }
}
const names = { group: 'arcade.example.com', kind: 'Game', plural: 'games', namespaced: true } as const
const games = defineResource<Game>({ ...names, version: 'v1' })
const oldGames = defineResource<OldGame>({ ...names, version: 'v1beta1' })

const operator = await Operator.connect({
  name: 'arcade',
  leader: true,
  health: { host: '0.0.0.0', port: Number(process.env.PORT ?? 8080) },
})
const webhooks = new Webhooks(operator, {
  service: 'arcade-webhooks',
  groups: ['arcade.example.com'],
  port: Number(process.env.WEBHOOK_PORT ?? 9443),
  configurations: process.env.CONFIGURATIONS === 'manifest' ? 'manifest' : 'apply',
})
webhooks
  .webhook('player-limit')
  .for(games)
  .validate(({ object, deny }) => {
    if ((object.spec?.players ?? 0) > 8) deny('at most 8 players', { field: 'spec.players' })
  })
webhooks.convert(
  new Conversion(games).version(oldGames, {
    toHub: ({ spec }) => ({ spec: { players: spec?.size } }),
    fromHub: ({ spec }) => ({ spec: { size: spec?.players } }),
  }),
)
operator
  .controller('game')
  .for(games)
  .reconcile(() => {})

await operator.run()
