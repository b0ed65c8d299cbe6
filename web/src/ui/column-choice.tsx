import { Columns3 } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button.tsx';
import { CheckboxField } from './field.tsx';
import { Popover } from './popover.tsx';

const KEY = 'trellis.columns';

type Kept = Readonly<Record<string, readonly string[]>>;

/** The columns of a table, in the order in which the viewer chose them in this browser. */
export function useKeptColumns(
  table: string,
  all: readonly string[],
  atFirst: readonly string[],
): readonly [columns: readonly string[], choose: (columns: readonly string[]) => void] {
  const [kept, setKept] = useState(readKept);
  const known = kept[table]?.filter((name) => all.includes(name)) ?? [];
  const choose = (columns: readonly string[]): void => {
    const next = { ...readKept(), [table]: columns };
    localStorage.setItem(KEY, JSON.stringify(next));
    setKept(next);
  };
  return [known.length > 0 ? known : atFirst, choose];
}

function readKept(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const entries = Object.entries(Object(kept)).filter(
      (entry): entry is [string, string[]] =>
        Array.isArray(entry[1]) && entry[1].every((name) => typeof name === 'string'),
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

interface ColumnsMenuProps {
  readonly all: readonly string[];
  readonly columns: readonly string[];
  readonly onChoose: (columns: readonly string[]) => void;
  /** What is said for a column (default: its name). */
  readonly titleOf?: (column: string) => string;
  /** The column that is always there. */
  readonly needed?: string;
}

/** Which columns a table has. */
export function ColumnsMenu({ all, columns, onChoose, titleOf, needed }: ColumnsMenuProps) {
  // A table without columns shows nothing.
  const only = columns.length === 1 ? columns[0] : undefined;
  return (
    <Popover trigger={<Button icon={Columns3}>Columns</Button>} title="Columns of the table">
      <div className="flex flex-col gap-1.5">
        {all.map((name) => (
          <CheckboxField
            key={name}
            label={titleOf?.(name) ?? name}
            checked={columns.includes(name)}
            disabled={name === needed || name === only}
            onChange={({ target }) =>
              onChoose(target.checked ? [...columns, name] : columns.filter((one) => one !== name))
            }
          />
        ))}
      </div>
    </Popover>
  );
}
