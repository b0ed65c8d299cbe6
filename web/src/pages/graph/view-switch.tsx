import { Link } from '@tanstack/react-router';
import { Image, Table2 } from 'lucide-react';
import { buttonClasses } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';

/** The same drawing, as a picture or as tables; which one stands in the address. */
export function ViewSwitch({ isTable }: { readonly isTable: boolean }) {
  const choices = [
    { view: undefined, label: 'Picture', icon: Image, isOn: !isTable },
    { view: 'table', label: 'Table', icon: Table2, isOn: isTable },
  ];
  return (
    <nav aria-label="Show as" className="flex gap-1 rounded-control bg-sunken p-0.5">
      {choices.map(({ view, label, icon: Icon, isOn }) => (
        <Link
          key={label}
          to="/graph"
          search={(search) => ({ ...search, view })}
          replace
          aria-current={isOn ? 'page' : undefined}
          className={classNames(
            buttonClasses('quiet', 'small'),
            isOn ? 'bg-raised border-line-strong/50' : 'text-muted',
          )}
        >
          <Icon className="size-4" aria-hidden />
          {label}
        </Link>
      ))}
    </nav>
  );
}
