import type { AdmissionWebhooks } from '../admission/admission-webhooks.ts'
import type { AccessControl } from '../authn/access.ts'
import type { Store } from '../store/store.ts'
import type { WritingHost } from '../write/managed.ts'
import type { Writer } from '../write/writer.ts'
import type { AccountTokens } from './account-tokens.ts'

/** The parts of the server that actions need. */
export interface ActionHost extends WritingHost {
  readonly store: Store
  readonly writer: Writer
  readonly webhooks: Pick<AdmissionWebhooks, 'mutate' | 'validate' | 'unasked'>
  readonly access: Pick<AccessControl, 'decide' | 'rules' | 'userByToken'>
  readonly tokens: AccountTokens
}
