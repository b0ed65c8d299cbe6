import type { UserNode } from '@trellis/contract/shapes/user.ts';

/** What is asked for one user, beside a change of what they are. */
export interface UserAction {
  readonly kind: 'deactivate' | 'reset-link';
  readonly user: UserNode;
}
