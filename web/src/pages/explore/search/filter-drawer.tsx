import { SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import type { SearchAddress } from './search-address.ts';

interface FilterDrawerProps {
  readonly address: SearchAddress;
  readonly children: ReactNode;
}

/** The filters, where there is no room for them beside the results. */
export function FilterDrawer({ address, children }: FilterDrawerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { type = [], filters = {}, from, to } = address;
  const chosen =
    type.length + Object.values(filters).flat().length + Number((from ?? to) !== undefined);
  return (
    <>
      <Button icon={SlidersHorizontal} onClick={() => setIsOpen(true)}>
        Filters{chosen > 0 && ` (${chosen})`}
      </Button>
      <SidePanel isOpen={isOpen} onClose={() => setIsOpen(false)} title="Filters">
        {children}
      </SidePanel>
    </>
  );
}
