import { Suspense, useRef } from 'react';
import { Controller } from 'react-hook-form';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { CheckedCodeProps } from './checked-code.tsx';

const CheckedCode = lazyPart(async () => (await import('./checked-code.tsx')).CheckedCode);

type CodeFieldProps = Pick<CheckedCodeProps, 'label' | 'isLocked' | 'check'>;

/** The value `code` of the form around it. Ctrl+S in it sends the form. */
export function CodeField({ isLocked, ...code }: CodeFieldProps) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} className="flex flex-col gap-4">
      <Controller
        name="code"
        render={({ field: { value, onChange } }) => (
          <Suspense fallback={<Skeleton className="h-80" />}>
            <CheckedCode
              {...{ ...code, value, onChange, isLocked }}
              onSave={(text) => {
                if (isLocked) return;
                onChange(text);
                box.current?.closest('form')?.requestSubmit();
              }}
            />
          </Suspense>
        )}
      />
    </div>
  );
}
