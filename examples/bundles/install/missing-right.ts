import { isForbidden } from '@wherry/client'

/**
 * Says of a refusal which right is missing, and which user needs it: the server's own message is long, and is cut before that. Undefined if the refusal is
 * about something else, such as a quota or a webhook.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
export function missingRight(error: unknown): string | undefined {
  if (!isForbidden(error)) return undefined
  const { message } = error
  const [, user, verb, resource = '', group = '', namespace] =
    /User "([^"]+)" cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?/.exec(
      message,
    ) ?? []
  if (user !== undefined) {
    const where = namespace === undefined ? '' : ` in the namespace ${namespace}`
    return `${accountOf(user)} lacks ${verb} of ${named(resource, group)}${where}: add it to a role of the account`
  }
  const [, granter, rules = ''] =
    /user "([^"]+)".* is attempting to grant RBAC permissions not currently held:\s*(.*)/s.exec(message) ?? []
  if (granter === undefined) return undefined
  const [first = '', ...others] = rules.split('\n').flatMap(rule => ruleOf(rule) ?? [])
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `it grants ${first}${more}, which ${accountOf(granter)} lacks: add that to a role of the account`
}

/** `get, list of jobs.batch` */
function ruleOf(rule: string): string | undefined {
  const listed = (name: string): string[] | undefined => {
    const [, list] = new RegExp(`${name}:\\[([^\\]]*)\\]`).exec(rule) ?? []
    return list === undefined ? undefined : Array.from(list.matchAll(/"([^"]*)"/g), ([, one = '']) => one)
  }
  const verbs = listed('Verbs')
  if (verbs === undefined) return undefined
  const urls = listed('NonResourceURLs')
  if (urls !== undefined) return `${verbs.join(', ')} of ${urls.join(', ')}`
  const [group = ''] = listed('APIGroups') ?? []
  const names = listed('ResourceNames')
  const resources = (listed('Resources') ?? []).map(resource => named(resource, group)).join(', ')
  return `${verbs.join(', ')} of ${resources}${names === undefined ? '' : ` called ${names.join(', ')}`}`
}

function named(resource: string, group: string): string {
  return group === '' ? resource : `${resource}.${group}`
}

/** `the service account bundles/bundles` */
function accountOf(user: string): string {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? []
  return name === undefined ? `the user ${user}` : `the service account ${namespace}/${name}`
}
