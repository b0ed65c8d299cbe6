import { ListChecks } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useViewer } from '../../../api/viewer.ts';
import { IconButton } from '../../../ui/button.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';

const GoldenQuestionDialog = lazyPart(
  async () => (await import('./golden-question-dialog.tsx')).GoldenQuestionDialog,
);

/** For administrators, who measure answers. */
export function GoldenQuestion({ question }: { readonly question: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const viewer = useViewer();
  if (viewer?.isAdmin !== true || question === '') return null;
  return (
    <>
      <IconButton
        icon={ListChecks}
        size="small"
        label="Make it a golden question"
        onClick={() => setIsOpen(true)}
      />
      {isOpen && (
        <Suspense>
          <GoldenQuestionDialog question={question} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
