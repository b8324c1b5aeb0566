import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../objects/object.ts'
import { addressProblems } from '../outside/address-problems.ts'
import { completeConfiguration } from './configuration.ts'
import { configurationProblems } from './configuration-problems.ts'

const hook = {
  name: 'a.b.c',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://x/y' },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
}

/** The fields that are refused, with the words for it. */
function refused(...webhooks: object[]): string[] {
  const configuration = {
    kind: 'MutatingWebhookConfiguration',
    apiVersion: '',
    metadata: {},
    webhooks,
  } as unknown as KubeObject
  completeConfiguration(configuration)
  return configurationProblems(configuration).map(({ field, message }) => `${field}: ${message}`)
}

const required = 'Required value'
const choice = (field: string, value: string, ...from: string[]): string =>
  `webhooks[0].${field}: Unsupported value: "${value}": supported values: ${from.map(one => `"${one}"`).join(', ')}`

describe('the problems of a webhook configuration', () => {
  it('are none if it is complete', () => {
    expect(refused(hook)).toEqual([])
    expect(
      refused({ ...hook, sideEffects: 'NoneOnDryRun', timeoutSeconds: 30, reinvocationPolicy: 'IfNeeded' }),
    ).toEqual([])
    expect(refused({ ...hook, clientConfig: { service: { name: 'a', namespace: 'b' } }, timeoutSeconds: 1 })).toEqual(
      [],
    )
    expect(refused(hook, { ...hook, name: 'a.b.d' })).toEqual([])
  })

  it.for([
    [{ name: '' }, [`webhooks[0].name: ${required}`]],
    [
      { name: 'a.b' },
      ['webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    ],
    [{ failurePolicy: 'No' }, [choice('failurePolicy', 'No', 'Fail', 'Ignore')]],
    [{ matchPolicy: 'No' }, [choice('matchPolicy', 'No', 'Equivalent', 'Exact')]],
    [{ sideEffects: 'Some' }, [choice('sideEffects', 'Some', 'None', 'NoneOnDryRun')]],
    [{ sideEffects: undefined }, [`webhooks[0].sideEffects: ${required}: must specify one of None, NoneOnDryRun`]],
    [{ reinvocationPolicy: 'Always' }, [choice('reinvocationPolicy', 'Always', 'IfNeeded', 'Never')]],
    [
      { timeoutSeconds: 0 },
      ['webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      { timeoutSeconds: 31 },
      ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      { admissionReviewVersions: [] },
      [`webhooks[0].admissionReviewVersions: ${required}: must specify one of v1, v1beta1`],
    ],
    [
      { admissionReviewVersions: ['v9', 'v9'] },
      [
        'webhooks[0].admissionReviewVersions[1]: Invalid value: "v9": duplicate version',
        'webhooks[0].admissionReviewVersions: Invalid value: ["v9","v9"]: must include at least one of v1, v1beta1',
      ],
    ],
    [{ clientConfig: {} }, [`webhooks[0].clientConfig: ${required}: exactly one of url or service is required`]],
    [
      { rules: [{}] },
      ['operations', 'apiGroups', 'apiVersions', 'resources'].map(
        field => `webhooks[0].rules[0].${field}: ${required}`,
      ),
    ],
    [
      {
        rules: [
          { ...hook.rules[0], operations: ['*', 'READ'], apiGroups: ['*', 'a'], apiVersions: ['*', 'a'], scope: 'All' },
        ],
      },
      [
        `webhooks[0].rules[0].operations: Invalid value: ["*","READ"]: if '*' is present, must not specify other operations`,
        'webhooks[0].rules[0].operations[1]: Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        `webhooks[0].rules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups`,
        `webhooks[0].rules[0].apiVersions: Invalid value: ["*","a"]: if '*' is present, must not specify other API versions`,
        choice('rules[0].scope', 'All', '*', 'Cluster', 'Namespaced'),
      ],
    ],
  ] as const)('%o', ([change, problems]) => {
    expect(refused({ ...hook, ...change })).toEqual(problems)
  })

  it('is a name that two have', () => {
    expect(refused(hook, hook)).toEqual(['webhooks[1].name: Duplicate value: "a.b.c"'])
    expect(refused({ ...hook, name: 'not_a_name' })[0]).toMatch(
      /^webhooks\[0\].name: Invalid value: "not_a_name": a lowercase/,
    )
  })

  it('is an address that is none, at each of its parts', () => {
    const form = '; desired format: https://host[/path]'
    const at = (config: object): string[] =>
      addressProblems(config as never, 'c').map(one => `${one.field}: ${one.message}`)
    expect(at({ url: 'https://h:1/p' })).toEqual([])
    expect(at({ url: 'nowhere' })).toEqual([`c.url: Required value: url must be a valid URL: nowhere${form}`])
    expect(at({ url: 'http://u:p@h/x?q=1#f' })).toEqual([
      `c.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`,
      'c.url: Invalid value: "u:p": user information is not permitted in the URL',
      'c.url: Invalid value: "f": fragments are not permitted in the URL',
      'c.url: Invalid value: "q=1": query parameters are not permitted in the URL',
    ])
    expect(at({ url: 'https://u@h/' })).toEqual([
      'c.url: Invalid value: "u": user information is not permitted in the URL',
    ])
    expect(at({ service: {} })).toEqual(['c.service.name: Required value', 'c.service.namespace: Required value'])
    expect(at({ url: 'https://h', service: {} })).toEqual([
      'c: Required value: exactly one of url or service is required',
    ])
    const service = { name: 'a', namespace: 'b' }
    for (const path of ['/', '/a', '/a/b.c/']) expect(at({ service: { ...service, port: 8443, path } })).toEqual([])
    expect(at({ service: { ...service, port: 70_000, path: 'a//B' } })).toMatchObject([
      'c.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      `c.service.path: Invalid value: "a//B": must start with a '/'`,
      'c.service.path: Invalid value: "a//B": segment[0] may not be empty',
      'c.service.path: Invalid value: "a//B": segment[1] may not be empty',
      expect.stringContaining('c.service.path: Invalid value: "a//B": segment[2]: a lowercase RFC 1123 subdomain'),
    ])
  })
})
