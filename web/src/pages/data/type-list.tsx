import { Link } from '@tanstack/react-router';
import { classNames } from '../../ui/class-names.ts';
import { SelectField } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import type { DataType } from './data-queries.ts';

interface TypeListProps {
  readonly types: readonly DataType[];
  readonly chosen: string;
}

/** The types, each with how many nodes the viewer sees. */
export function TypeList({ types, chosen }: TypeListProps) {
  return (
    <nav aria-label="Types of nodes" className="rounded-card border bg-surface p-1.5">
      <ul className="max-h-[calc(100dvh-12rem)] overflow-y-auto">
        {types.map(({ type, count }) => (
          <li key={type}>
            <Link
              to="/data/{-$type}"
              params={{ type }}
              aria-current={type === chosen ? 'page' : undefined}
              className={classNames(
                'flex items-baseline justify-between gap-2 rounded-control px-2.5 py-1.5',
                type === chosen ? 'bg-accent-soft text-accent-strong' : 'hover:bg-sunken',
              )}
            >
              <bdi className="min-w-0 truncate">{type}</bdi>
              <span
                className={classNames('text-[13px] tabular-nums', type !== chosen && 'text-muted')}
              >
                {formatCount(count)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The same where there is little room. */
export function TypeSelect({
  types,
  chosen,
  onChoose,
}: TypeListProps & { readonly onChoose: (type: string) => void }) {
  return (
    <SelectField
      label="Type"
      isLabelHidden
      value={chosen}
      onChange={({ target }) => onChoose(target.value)}
      options={types.map(({ type, count }) => ({
        value: type,
        label: `${type} (${formatCount(count)})`,
      }))}
    />
  );
}
