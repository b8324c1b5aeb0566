import { objectAt, own } from '@wherry/cel/internal'
import { mergeLabelKeys } from '../builtin/label-keys.ts'
import { admitPod, newPodStatus } from '../builtin/pod-defaults.ts'
import { podProblems } from '../builtin/pod-updates.ts'
import { podWarnings } from '../builtin/pod-warnings.ts'
import { allOf, checked, checkedOnce, checkedStatus } from '../builtin/validation/causes.ts'
import { checkNewPod, checkPod } from '../builtin/validation/pod.ts'
import { checkPodImages } from '../builtin/validation/pod-images.ts'
import { checkPodStatus } from '../builtin/validation/pod-status.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of Pods. */
export const podStrategies: Strategies = {
  pods: {
    create(object) {
      object.status = newPodStatus(object)
      mergeLabelKeys(object)
      const spec = objectAt(object, 'spec')
      const grace = own(spec ?? {}, 'terminationGracePeriodSeconds')
      // A negative grace period becomes one second.
      if (typeof grace === 'number' && grace < 0) object.spec = { ...spec, terminationGracePeriodSeconds: 1 }
    },
    update(object, old) {
      object.status = { qosClass: own(objectAt(old, 'status') ?? {}, 'qosClass'), ...objectAt(object, 'status') }
    },
    admit: admitPod,
    problems: allOf(
      checked(checkPod),
      checked(checkPodImages),
      checkedOnce(checkNewPod),
      checkedStatus(checkPodStatus),
      podProblems,
    ),
    warnings: podWarnings,
    answersDeleted: true,
  },
}
