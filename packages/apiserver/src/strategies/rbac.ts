import { immutable } from '../builtin/immutable.ts'
import { allOf, checked } from '../builtin/validation/causes.ts'
import { checkClusterRole, checkClusterRoleBinding, checkRole, checkRoleBinding } from '../builtin/validation/rbac.ts'
import type { Strategies } from '../write/strategy.ts'

/** The strategies of roles and their bindings. */
export const rbacStrategies: Strategies = {
  'clusterroles.rbac.authorization.k8s.io': { problems: checked(checkClusterRole), createsOnUpdate: true },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    problems: allOf(checked(checkClusterRoleBinding), immutable('roleRef')),
    createsOnUpdate: true,
  },
  'roles.rbac.authorization.k8s.io': { problems: checked(checkRole), createsOnUpdate: true },
  'rolebindings.rbac.authorization.k8s.io': {
    problems: allOf(checked(checkRoleBinding), immutable('roleRef')),
    createsOnUpdate: true,
  },
}
