import type { Account, AccountOptions, Grant, PolicyRule } from '@wherry/apiserver'
import {
  type Access,
  type AccountObject,
  accountObjects,
  ask,
  kubeconfigFor,
  mayExist,
  rulesByNamespace,
  tokenSeconds,
} from '@wherry/apiserver/internal'
import { serviceAccountUserName } from '@wherry/cel/internal'
import { until } from './ready.ts'

/** Creates a ServiceAccount with these rights, and resolves when the server's authorizer applies them. */
export async function createAccount(
  access: Access,
  grants: readonly Grant[],
  { name = 'operator', namespace = 'default' }: AccountOptions,
  timeoutMs: number,
): Promise<Account> {
  for (const object of accountObjects(grants, { name, namespace })) await create(access, object)
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const { status } = await post(access, path, { spec: { expirationSeconds: tokenSeconds } })
  const { token } = status as { token: string }
  for (const [home, rules] of rulesByNamespace(grants)) {
    const known = (): Promise<boolean> => holds({ ...access, token }, home === '' ? namespace : home, rules)
    if (!(await until(known, timeoutMs))) throw new Error(`the rights of ${namespace}/${name} are not in force yet`)
  }
  const user = serviceAccountUserName(namespace, name)
  return { user, token, kubeconfig: kubeconfigFor(access.url, access.ca, token) }
}

const endpoints: Readonly<Record<AccountObject['kind'], string>> = {
  Namespace: 'namespaces',
  ServiceAccount: 'serviceaccounts',
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
}

async function create(access: Access, object: AccountObject): Promise<void> {
  const { apiVersion, kind, metadata } = object
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  const within = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  await post(access, `${group}${within}/${endpoints[kind]}`, object, mayExist(object))
}

async function post(
  access: Access,
  path: string,
  body: object,
  mayExist = false,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await ask(access, 'POST', path, body)
  if (status === 201 || (status === 409 && mayExist)) return JSON.parse(text)
  throw new Error(`the API server answered ${status} to POST ${path}: ${text}`)
}

/** Whether the server's rules for the user of `access` contain all these rules. */
async function holds(access: Access, namespace: string, rules: readonly PolicyRule[]): Promise<boolean> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
  const { resourceRules, nonResourceRules } = (await post(access, path, { spec: { namespace } })).status as {
    resourceRules: readonly PolicyRule[]
    nonResourceRules: readonly PolicyRule[]
  }
  const known = new Set([...resourceRules, ...nonResourceRules].map(textOf))
  return rules.every(rule => known.has(textOf(rule)))
}

/** A text by which rules are compared. */
function textOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs])
}
