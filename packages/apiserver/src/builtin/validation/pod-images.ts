import { objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import type { Check } from './causes.ts'

/** Checks what a real server checks of the images of Pods, and not of those of templates. */
export const checkPodImages: Check = (pod, causes) => {
  for (const list of ['containers', 'initContainers']) {
    for (const [i, container] of objectsAt(objectAt(pod, 'spec'), list).entries()) {
      const image = stringAt(container, 'image') ?? ''
      if (image === image.trim()) continue
      causes.invalid(`spec.${list}[${i}].image`, image, 'must not have leading or trailing whitespace')
    }
  }
}
