import { Menu as Base } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement } from 'react';
import { classNames } from './class-names.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly hint?: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
}

interface MenuProps {
  /** The button that opens it, such as `<Button>Add token</Button>`. */
  readonly trigger: ReactElement;
  readonly items: readonly MenuItem[];
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, items, align = 'end' }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50 outline-none">
          <Base.Popup className="max-h-[70vh] min-w-48 overflow-y-auto rounded-card border bg-raised p-1 shadow-raised outline-none">
            {items.map((item) => (
              <MenuRow key={item.label} {...item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function MenuRow({ label, icon: Icon, hint, isDanger, isDisabled, onSelect }: MenuItem) {
  return (
    <Base.Item
      disabled={isDisabled === true}
      onClick={onSelect}
      className={classNames(
        'option flex items-start gap-2 px-2.5 py-1.5 data-disabled:opacity-55',
        isDanger === true && 'text-danger',
      )}
    >
      {Icon && <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />}
      <span>
        {label}
        {hint !== undefined && <span className="block text-[13px] text-muted">{hint}</span>}
      </span>
    </Base.Item>
  );
}
