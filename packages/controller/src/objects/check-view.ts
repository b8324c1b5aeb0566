import { type Check, having } from '@wherry/client/checks'

/** @throws OptionTypeError for what is no view. */
export const checkView: Check = having('a resource or a view of one', 'within')
