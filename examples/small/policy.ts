/**
 * What a ValidatingAdmissionPolicy says of objects in a file, without a server.
 *
 * It shows `evaluatePolicy` and `policyProblems` of @wherry/cel. Use it to try a policy on what you have before a cluster has it.
 *
 *     node examples/small/policy.ts POLICY.json OBJECTS.json   # a policy, and a list of objects: { "items": [ … ] }
 */
import { readFileSync } from 'node:fs'
import { evaluatePolicy, type PolicyManifest, policyProblems } from '@wherry/cel'

interface List {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace?: string } }[]
}

const [policyFile = '', objectsFile = ''] = process.argv.slice(2)
const policy = JSON.parse(readFileSync(policyFile, 'utf8')) as PolicyManifest
const { items } = JSON.parse(readFileSync(objectsFile, 'utf8')) as List

// What an API server would refuse: an expression that does not compile, by its path.
const problems = policyProblems(policy)
for (const { field, message } of problems) console.log(`${field}: ${message}`)

// Each object as it would be created now.
for (const object of problems.length === 0 ? items : []) {
  const { name, namespace } = object.metadata
  const { matches, refusals } = evaluatePolicy(policy, { object })
  const says = matches ? refusals.map(({ message }) => message).join('; ') || 'allowed' : 'not asked'
  console.log(`${namespace === undefined ? '' : `${namespace}/`}${name}: ${says}`)
}
