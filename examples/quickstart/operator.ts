import { createHash } from 'node:crypto'
import { configMaps, secrets } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { games } from './game.ts'

/** The ConfigMaps that the operator makes: of all others it receives nothing. */
const ours = configMaps.within({ labels: { 'app.kubernetes.io/managed-by': 'quickstart' } })

/** Makes a ConfigMap of each game of a namespace, and keeps it as it should be. */
export function declareGames(operator: Operator, namespace: string): void {
  const here = { namespaces: [namespace] }
  operator
    .controller('game')
    .for(games.within(here))
    .owns(ours.within(here))
    .reconcile(async ({ object: game, key, read, apply, status, log }) => {
      const { title, licenceSecret } = game.spec
      // Tracked: this runs again when the Secret comes, changes or goes. No other Secret is received.
      const licence = await read.get(secrets, { name: licenceSecret })
      if (licence !== undefined) {
        const checksum = createHash('sha256')
          .update(licence.data?.key ?? '')
          .digest('hex')
        // No request where the ConfigMap is so already. The game owns it, so that it goes with the game.
        await apply(ours, { metadata: { name: `${key.name}-settings` }, data: { title, checksum } })
      }
      const phase = licence === undefined ? 'NoLicence' : 'Ready'
      // No request either where the status says so already.
      const { outcome } = await status({ phase })
      if (outcome === 'updated') log.info({ phase }, 'the phase has changed')
    })
}
