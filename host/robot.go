package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/robot"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/internal/config"
)

// RobotCommand is the hidden subcommand that is the process of the robot backend.
const RobotCommand = "robot"

func startRobot(ctx context.Context, argv []string, display string) (*robot.Robot, error) {
	bot, err := robot.Start(ctx, argv, "DISPLAY="+display, "XDG_SESSION_TYPE=x11")
	if err != nil {
		return nil, fmt.Errorf("using desktop.backend = %q: %w", config.BackendRobot, err)
	}
	return bot, nil
}

// robotWatch takes the end of the robot's process for the loss of the desktop,
// so that the host opens it again with another process.
type robotWatch struct {
	desktop.Watch
	bot     *robot.Robot
	display string
}

// releasePatience bounds the release of what a robot may have left down.
const releasePatience = time.Second

// Next implements [desktop.Watch].
func (w robotWatch) Next(ctx context.Context) (desktop.Changes, error) {
	next, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	defer ended.Wait()
	defer cancel()
	ended.Go(func() {
		select {
		case <-w.bot.Done():
			cancel()
		case <-next.Done():
		}
	})
	c, err := w.Watch.Next(next)
	select {
	case <-w.bot.Done():
	default:
		return c, err
	}
	release, stop := context.WithTimeout(ctx, releasePatience)
	defer stop()
	lost := fmt.Errorf("the robot backend's process ended: %w", desktop.ErrDisconnected)
	c.Lost = errors.Join(c.Lost, lost, x11.ReleaseAll(release, w.display))
	return c, nil
}
