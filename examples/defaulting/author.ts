import type { Webhooks } from '@wherry/webhook'
import { notices } from './notice.ts'

/** The label with the user that has created a notice. */
export const authorLabel = 'board.example.com/author'

/** A user's name as the value of a label: `system:serviceaccount:a:b` is `system-serviceaccount-a-b`. */
function labelValue(username: string): string {
  return username
    .replaceAll(/[^A-Za-z0-9_.-]/g, '-')
    .slice(0, 63)
    .replaceAll(/^[_.-]+|[_.-]+$/g, '')
}

/**
 * Labels each notice with its author, whatever the author says, and keeps the label as it is. A default in the definition can't know the user, and the
 * reconcile comes too late for that.
 */
export function labelWithAuthor(webhooks: Webhooks): void {
  webhooks
    .webhook('author')
    .for(notices)
    .mutate(({ draft, operation, old, user }) => {
      const author = operation === 'CREATE' ? labelValue(user.username) : old.metadata.labels?.[authorLabel]
      // A notice that is older than this webhook has no author.
      if (author === undefined) return
      draft.metadata.labels = { ...draft.metadata.labels, [authorLabel]: author }
    })
}
