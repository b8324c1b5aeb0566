import { matching, type Shape } from './shape.ts'

// A name that a server accepts is a safe name of a file, and a single word in a comment.
const label = '[a-z]([-a-z0-9]*[a-z0-9])?'
const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

export const group: Shape = matching(
  new RegExp(`^${subdomain}(\\.${subdomain})+$`),
  253,
  'a domain such as arcade.example.com',
)
export const plural: Shape = matching(new RegExp(`^${label}$`), 63, 'a name of a to z, 0 to 9 and -, up to 63')
export const kind: Shape = matching(
  /^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/,
  63,
  'a name of letters, digits and -, up to 63, that begins with a letter, such as Game',
)
export const version: Shape = matching(new RegExp(`^${label}$`), 63, 'a name such as v1')
