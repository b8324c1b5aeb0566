import { fieldManager } from '@wherry/client/internal'

/** The field manager as which a controller applies. @throws OptionRangeError if a server would refuse it (rule X6) */
export function managerOf(controller: string, operator: string | undefined): string {
  const manager = operator === undefined ? controller : `${operator}/${controller}`
  fieldManager(operator === undefined ? 'controller.name' : 'controller.name, with the operator', manager)
  return manager
}
