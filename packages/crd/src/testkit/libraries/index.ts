import type { CustomResource } from '../../definition/types.ts'
import { arktypeResource } from './arktype.ts'
import { typeboxResource } from './typebox.ts'
import { valibotResource } from './valibot.ts'
import { zodResource } from './zod.ts'

/** A hand-written resource of each schema library, by the library's name. */
export const libraries: Readonly<Record<string, CustomResource>> = {
  zod: zodResource,
  valibot: valibotResource,
  arktype: arktypeResource,
  typebox: typeboxResource,
}
