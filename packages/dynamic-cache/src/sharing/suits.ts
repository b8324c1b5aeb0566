import type { ReadForm } from '@wherry/informer/internal'

/** Whether `form` is the wanted form, or brings so little more that it is not worth another stream. */
export function suits(form: ReadForm, wanted: ReadForm): boolean {
  return form === wanted || (form === 'whole' && wanted === 'lean')
}
