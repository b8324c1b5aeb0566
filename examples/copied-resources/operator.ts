import type { NewCondition, Operator } from '@wherry/controller'
import { Copies } from '@wherry/copies'
import { type ClusterServiceVersion, clusterServiceVersions, type OlmConfig, olmConfigs } from './resources.ts'

/** An operator group: operators that are installed in its own namespace are shown in those of its members. */
export interface OperatorGroup {
  /** The namespace of the ClusterServiceVersions that are copied. */
  readonly sources: string
  /** The labels of the namespaces that get copies, as a selector. */
  readonly members: string
}

const settings = { name: 'cluster' }
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** Copies the ClusterServiceVersions of an operator group into the namespaces of its members, unless the OLMConfig says otherwise. */
export async function declareCopiedCsvs(operator: Operator, { sources, members }: OperatorGroup): Promise<void> {
  const copies = new Copies({
    name: 'csvs',
    source: clusterServiceVersions.within({ namespaces: [sources] }),
    copies: clusterServiceVersions,
    targets: members,
    build: csv => copyOf(csv, sources),
    status: csv => statusOf(csv, sources),
    // Known before the first copy could be made. The controller below watches it for changes.
    enabled: !isDisabled(await operator.client.get(olmConfigs, settings)),
  })
  operator.add(copies.controller)
  operator
    .controller('olmconfig')
    .for(olmConfigs.within({ fields: `metadata.name=${settings.name}` }))
    .reconcile(async ({ object: config, status }) => {
      if (isDisabled(config)) copies.disable()
      else copies.enable()
      await status({ conditions: [conditionOf(copies.isEnabled)] })
    })
    .onGone(async () => copies.enable())
}

function isDisabled(config: OlmConfig | undefined): boolean {
  return config?.spec?.features?.disableCopiedCSVs === true
}

function copyOf({ metadata, spec }: ClusterServiceVersion, from: string): ClusterServiceVersion {
  const { [lastApplied]: _, ...annotations } = metadata?.annotations ?? {}
  return { metadata: { labels: { ...metadata?.labels, 'olm.copiedFrom': from }, annotations }, ...(spec && { spec }) }
}

/** By the reason, OLM's users distinguish a copy from an operator that is installed in their namespace. */
function statusOf({ status }: ClusterServiceVersion, from: string): ClusterServiceVersion['status'] {
  const message = `The operator is running in ${from} but is managing this namespace`
  return { ...(status?.phase && { phase: status.phase }), reason: 'Copied', message }
}

/** The condition that reports it to OLM's users. */
function conditionOf(isEnabled: boolean): NewCondition {
  const type = 'DisabledCopiedCSVs'
  return isEnabled
    ? { type, status: 'False', reason: 'CopiedCSVsEnabled', message: 'ClusterServiceVersions are copied' }
    : { type, status: 'True', reason: 'CopiedCSVsDisabled', message: 'ClusterServiceVersions are not copied' }
}
