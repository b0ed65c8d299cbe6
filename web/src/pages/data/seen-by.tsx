import type { NodeAccess } from '@trellis/contract/shapes/access.ts';
import { useQuery } from '@tanstack/react-query';
import { useNames } from '../../api/names.ts';
import { useViewer } from '../../api/viewer.ts';
import { formatCount } from '../../ui/format.ts';
import { typeRulesQuery } from '../manage/types/access-types.ts';
import { VISIBILITIES, visibilityOf } from '../manage/types/type-rules.ts';

const NAMED_MAX = 5;

interface SeenByProps {
  readonly type: string;
  readonly access: NodeAccess;
}

/** Who sees a node now, and why. Only administrators read the rule of its type. */
export function SeenBy({ type, access: { teams, users } }: SeenByProps) {
  const chosen = [...teams, ...users];
  const named = chosen.slice(0, NAMED_MAX);
  const nameOf = useNames(named);
  const mayAsk = useViewer()?.seesAdministration === true && chosen.length === 0;
  const rules = useQuery({ ...typeRulesQuery, enabled: mayAsk }).data;
  const whom =
    chosen.length > 0
      ? `${[...named.map(nameOf), ...others(chosen.length - named.length)].join(', ')}, owners and administrators, as it is shared`
      : rules === undefined
        ? 'whoever the rule of its type lets see it'
        : `${VISIBILITIES[visibilityOf(rules, type)].toLowerCase()}, as the rule of its type says`;
  return (
    <p className="text-[13px] wrap-anywhere text-muted">
      Seen by <bdi>{whom}</bdi>.
    </p>
  );
}

function others(count: number): readonly string[] {
  return count === 0 ? [] : [`${formatCount(count)} more`];
}
