import type { WebhookWithSecret } from '@trellis/contract/shapes/webhook.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { ShownOnce } from '../../../ui/shown-once.tsx';

interface WebhookSecretDialogProps {
  readonly webhook: WebhookWithSecret;
  readonly onClose: () => void;
}

export function WebhookSecretDialog({ webhook, onClose }: WebhookSecretDialogProps) {
  return (
    <Dialog isOpen keepsOpen onClose={onClose} title={`Secret of “${webhook.name}”`}>
      <ShownOnce
        label="Secret"
        value={webhook.secret}
        warning="Copy it now: it cannot be read again. The receiver checks with it that a delivery is genuine."
      />
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
