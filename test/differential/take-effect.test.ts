import { setTimeout as after } from 'node:timers/promises'
import { startApiServer } from '@wherry/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { Target } from './target.ts'

const admission = '/apis/admissionregistration.k8s.io/v1'
const policies = `${admission}/validatingadmissionpolicies`
const bindings = `${admission}/validatingadmissionpolicybindings`
const probe = '/api/v1/namespaces/default/configmaps?dryRun=All'
/** A bound on what hangs: a minute, if answers take no time. */
const maxAsked = 6000
/** The server is shared with other tests: the policy is about one name only. */
const name = 'take-effect'
const resourceRules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]

const available = await realApiServerAvailable('the comparison of when a policy takes effect')

describe.runIf(available)('a policy', () => {
  const seen: Record<string, readonly (readonly number[])[]> = {}

  // The servers are here for the comparison alone: the test below only reports what it found.
  beforeAll(async () => {
    await using server = await startApiServer({ takeEffectMs: 1000 })
    for (const target of [new Target('real', await sharedRealServer()), new Target('embedded', server)]) {
      try {
        seen[target.name] = await race(target)
      } finally {
        target.close()
      }
    }
  }, 180_000)

  it('F4: that was written is met some time later on both servers, from then on by every request, and so is its end', () => {
    const { real: [bound, released] = [], embedded } = seen
    expect(embedded).toEqual([
      [201, 422],
      [422, 201],
    ])
    // A real server may have been quicker than the first request.
    expect([[201, 422], [422]]).toContainEqual(bound)
    expect([[422, 201], [201]]).toContainEqual(released)
  })
})

/** The answers to a create that a policy refuses, after the policy was bound and after it was deleted: each that differs from the one before it. */
async function race(target: Target): Promise<(readonly number[])[]> {
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, text } = await target.ask(method, path, {}, body && JSON.stringify(body))
    if (status >= 300) throw new Error(`${target.name}: ${method} ${path}: ${status} ${text}`)
  }
  const metadata = { name }
  const validations = [{ expression: `object.metadata.name != '${name}'` }]
  await send('POST', policies, { metadata, spec: { matchConstraints: { resourceRules }, validations } })
  await send('POST', bindings, { metadata, spec: { policyName: name, validationActions: ['Deny'] } })
  const bound = await answersUntil(target, 422)
  await send('DELETE', `${bindings}/${name}`)
  await send('DELETE', `${policies}/${name}`)
  return [bound, await answersUntil(target, 201)]
}

/** The answers up to ten of `status` in a row. */
async function answersUntil(target: Target, status: number): Promise<readonly number[]> {
  const seen: number[] = []
  for (let inRow = 0, asked = 0; inRow < 10; asked++) {
    if (asked > maxAsked) throw new Error(`${target.name}: ${asked} answers, and no ten of ${status} in a row: ${seen}`)
    const answer = await target.ask('POST', probe, {}, JSON.stringify({ metadata: { name } }))
    if (seen.at(-1) !== answer.status) seen.push(answer.status)
    inRow = answer.status === status ? inRow + 1 : 0
    await after(10)
  }
  return seen
}
