import { join } from 'node:path'
import { stringify } from 'yaml'
import { urgentNotices } from './policy.ts'

/** Where the manifest of the policy is. `kubectl apply -f` takes it. */
export const policyFile: string = join(import.meta.dirname, 'deploy/urgent-notices.yaml')

const { policy, binding } = urgentNotices

/** The policy, and then the binding without which it does nothing. */
export const policyText: string = `# npm run policy writes this file.\n${yamlOf(policy)}---\n${yamlOf(binding)}`

function yamlOf(manifest: object): string {
  return stringify(manifest, { lineWidth: 0 })
}
