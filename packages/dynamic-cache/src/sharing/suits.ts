import type { ReadForm } from '@wherry/informer/internal'

/** Whether `form` is the wanted form, or contains so little more that another stream is not worth it. */
export function suits(form: ReadForm, wanted: ReadForm): boolean {
  return form === wanted || (form === 'whole' && wanted === 'lean')
}
