import { Link } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

export function PageNotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={MapPinOff}
        title="There is no page at this address"
        action={
          <Link to="/" className={buttonClasses()}>
            Go to search
          </Link>
        }
      >
        It may have been moved, or the link is incomplete.
      </EmptyState>
    </>
  );
}
