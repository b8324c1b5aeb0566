import type { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import {
  conditionOf,
  generationChanged,
  isConditionTrue,
  type NewCondition,
  type Operator,
  type ReconcileContext,
  setCondition,
} from '@wherry/controller'
import { configMapState, type MigrationReport, migrateStorage } from '@wherry/storage-migrator'

/** The operator's own definition. `deploy/crd` has it as this release installs it. */
export const definition = 'games.arcade.example.com'

/** The version that this release needs no more, and the one that takes its place. */
export const oldVersion = 'v1'
export const newVersion = 'v2'

/** The condition of the definition that reports the migration to users. */
export const conditionType = 'arcade.example.com/StorageMigrated'

/** How long users have to mend an object that the server refused, until it is tried again. */
const retryMs = 2000

const ours = customResourceDefinitions.within({ fields: { 'metadata.name': definition } })

type Context = ReconcileContext<CustomResourceDefinition, 'cluster'>

/**
 * Rewrites all games that are stored at the old version, and then removes that version from the definition. Other controllers go on
 * meanwhile. It runs on the leader alone, and a new leader goes on where the one before has ended.
 */
export function declareMigration(operator: Operator, namespace: string): void {
  operator
    .controller('migration')
    .for(ours)
    .withPredicates(generationChanged) // not for the conditions that it sets itself
    .reconcile(async context => {
      const { object, client, signal, events } = context
      // The definition of this release is not applied yet: this runs again when it is.
      if (!object.spec.versions.some(({ name, storage }) => storage && name === newVersion)) return
      if (conditionOf(object.status?.conditions ?? [], conditionType) === undefined) {
        await notify(context, { status: 'False', reason: 'Migrating', message: `to ${newVersion}` })
      }
      const report = await migrateStorage({
        client,
        definition,
        signal,
        state: configMapState({ client, namespace, name: 'crd-upgrade' }),
        onProgress: ({ counts, total }) =>
          events.record({ reason: 'Migrating', message: `${counts.listed} of ${total} games looked at` }),
      }).catch(async error => {
        // Without a word here, users would see no more than that it migrates.
        signal.throwIfAborted()
        await notify(context, {
          status: 'False',
          reason: 'Failed',
          message: `${(error as Error).message}`.slice(0, 1000),
        })
        throw error
      })
      if (report.outcome === 'failed') {
        await notify(context, { status: 'False', reason: 'Refused', message: refusals(report) })
        return { requeueAfterMs: retryMs }
      }
      await removeOldVersion(client)
      // It runs again since that changed the definition: what the condition says of the migration stays.
      const isReported = isConditionTrue(object.status?.conditions ?? [], conditionType)
      if (report.outcome === 'nothing-to-do' && isReported) return
      await notify(context, { status: 'True', reason: 'Migrated', message: migrated(report) })
      return
    })
}

/** Names the first few objects that the server refused. */
function refusals({ failures }: MigrationReport): string {
  const named = failures.slice(0, 3).map(({ namespace, name, message }) => `${namespace}/${name}: ${message}`)
  return `${failures.length} games could not be rewritten: ${named.join('; ')}`
}

function migrated({ outcome, counts: { rewritten, unchanged, changed } }: MigrationReport): string {
  const all = `all games are stored at ${newVersion}`
  if (outcome === 'nothing-to-do') return all
  return `${all}: ${rewritten} rewritten, ${changed} changed by users meanwhile, ${unchanged} stored so before`
}

/** The write holds only for the definition as it was read: a change of somebody else's in between is a conflict, and tried again. */
async function removeOldVersion(client: Client): Promise<void> {
  const found = await client.get(customResourceDefinitions, { name: definition })
  const { metadata: { uid, resourceVersion } = {}, spec } = found ?? {}
  const versions = spec?.versions.filter(({ name }) => name !== oldVersion)
  if (versions === undefined || versions.length === spec?.versions.length) return
  const change = { metadata: { uid, resourceVersion }, spec: { versions } }
  await client.patch(customResourceDefinitions, { name: definition }, change)
}

/** Sets the condition of the definition, and records an event. The other conditions are the API server's. */
async function notify({ object, client, events, now }: Context, condition: Omit<NewCondition, 'type'>): Promise<void> {
  const { status, reason, message = '' } = condition
  events.record({ type: reason === 'Refused' ? 'Warning' : 'Normal', reason, message })
  const before = object.status?.conditions ?? []
  const conditions = setCondition(before, { type: conditionType, status, reason, message }, now().getTime())
  if (conditions === before) return
  const mine = conditions.filter(({ type }) => type === conditionType)
  await client.status.apply(customResourceDefinitions, {
    metadata: { name: definition },
    status: { conditions: mine },
  })
}
